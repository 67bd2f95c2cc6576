import { readPage } from './shown-page.ts'

/** A browser without scripts: it keeps cookies, and sends forms as they stand on a page. It follows nothing by itself. */
export function formBrowser(address: string) {
  const cookies = new Map<string, string>()

  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  async function get(path: string, init: RequestInit = {}) {
    const answer = await fetch(address + path, {
      redirect: 'manual',
      ...init,
      headers: { ...(init.headers as Record<string, string>), cookie: cookie(), 'accept-language': 'nb' },
    })
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      cookies.set(name, value)
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  /** What the form on this page carries besides what is typed. */
  const token = (text: string) =>
    readPage(text)
      .all('input')
      .find(({ attribs }) => attribs.name === 'skjema')?.attribs.value ?? ''

  async function send(path: string, fields: Record<string, string>, from = path) {
    const skjema = token((await get(from)).text)
    return get(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ skjema, ...fields }).toString(),
    })
  }

  return {
    get,
    /** All it keeps, as it is sent. */
    cookie,
    token,
    send,
    /** In with a key, from the page of the keys and back to it. */
    logIn: (key: string) => send('/logg-inn', { nokkel: key, til: '/nokler' }, '/nokler'),
  }
}
