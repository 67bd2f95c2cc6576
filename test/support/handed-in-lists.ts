/** Where lists are handed in. */
export const AT = '/api/bedrift/bestillinger'

/** What a call was answered with. */
type Told = { status: number; headers: Headers; text: string }
type Wish = { token: string; name?: string; type?: string; query?: string; accept?: string }

/** A way to hand lists to one front, and to ask it what came of them. */
export function speaking(address: () => string) {
  const head = (token: string) => ({ authorization: `Bearer ${token}` })
  const told = async (answer: Response): Promise<Told> => ({
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
  })
  return {
    async hand(body: string, { token, name = 'en', type = 'application/json', query = '' }: Wish) {
      return told(
        await fetch(`${address()}${AT}${query}`, {
          method: 'POST',
          headers: { ...head(token), 'content-type': type, ...(name && { 'idempotency-key': name }) },
          body,
        }),
      )
    },
    async get(path: string, { token, accept = '*/*' }: Wish) {
      return told(await fetch(address() + path, { headers: { ...head(token), accept } }))
    },
    async remove(path: string, { token }: Wish) {
      return told(await fetch(address() + path, { method: 'DELETE', headers: head(token) }))
    },
  }
}

/** What came of one, line by line. */
// biome-ignore lint/suspicious/noExplicitAny: lines are looked into
export const linesIn = (text: string): any[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Where a list that was taken is. */
export const placeOf = ({ headers }: Told) => headers.get('location') ?? ''
/** How one was refused. */
export const kodeOf = ({ status, text }: Told) => [status, JSON.parse(text).kode]
