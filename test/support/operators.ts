import { systemClock } from '#src/core/clock.ts'
import { makeOperator, type OperatorRole } from '#src/ops/operators.ts'
import type { TestDatabase } from './database.ts'

export type TestOperator = {
  token: string
  /** A GET as a program: with the token. */
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string; headers: Headers }>
  /** A form sent as a browser would: with the session, from this origin unless another is given. */
  post(
    path: string,
    form: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string; headers: Headers }>
}

/** An operator who has logged in on the operators' side at `address`. */
export async function logIn(
  { database }: Pick<TestDatabase, 'database'>,
  address: string,
  { navn, rolle }: { navn: string; rolle: OperatorRole },
): Promise<TestOperator> {
  const { token } = await makeOperator({ db: database, clock: systemClock }, { navn, rolle })
  const answer = await send('/inn', { token }, { origin: address })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''

  async function send(path: string, form: Record<string, string>, headers: Record<string, string>) {
    const sent = await fetch(address + path, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers,
      redirect: 'manual',
    })
    return { status: sent.status, headers: sent.headers, text: await sent.text() }
  }

  return {
    token,
    async get(path, headers = {}) {
      const got = await fetch(address + path, {
        headers: { authorization: `Bearer ${token}`, ...headers },
        redirect: 'manual',
      })
      return { status: got.status, headers: got.headers, text: await got.text() }
    },
    post: (path, form, headers = {}) => send(path, form, { cookie, origin: address, ...headers }),
  }
}
