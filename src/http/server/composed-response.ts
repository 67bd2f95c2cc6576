import { ServerResponse } from 'node:http'

/**
 * Node's own response, some lines of whose head are composed by whoever answers: they go out behind the status line, which Node
 * takes as it is. To have Node look at a dozen headers one by one costs as much as the rest of a held answer.
 *
 * Everything Node knows of an answer stays its own, since nothing is written past it: whether the connection goes on, how long
 * the body is, whose turn it is on the connection, what of it has been sent. So the lines may name nothing that Node decides by:
 * Connection, Content-Length, Date, Expect, Keep-Alive, Trailer, Transfer-Encoding, Upgrade.
 */
export class ComposedResponse extends ServerResponse {
  /** Each with its end. Before `writeHead`. */
  lines = ''

  /** What `writeHead` ends in, in every Node there is; its types leave it out. `statusLine`: with its end. */
  _storeHeader(statusLine: string, headers: unknown): void {
    storeHead.call(this, statusLine + this.lines, headers)
  }
}

const { _storeHeader: storeHead } = ServerResponse.prototype as unknown as Pick<
  ComposedResponse,
  '_storeHeader'
>

/** @param headers names and values in turn, of ours: nothing in them ends a line */
export function headLines(headers: readonly string[]): string {
  let lines = ''
  for (let index = 0; index + 1 < headers.length; index += 2)
    lines += `${headers[index]}: ${headers[index + 1]}\r\n`
  return lines
}
