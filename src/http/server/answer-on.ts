import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node's own books, in every Node there is; its types leave them out: what is being answered, and nothing of it once it is sent. */
export function answerOn(socket: Socket): ServerResponse<IncomingMessage> | null {
  return (socket as Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null })._httpMessage ?? null
}
