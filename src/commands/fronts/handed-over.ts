import type { ChildProcess } from 'node:child_process'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * A front is handed one connection at a time, and Node lets go of it when the front says that it has it. Of one whose front was killed before
 * that nobody would hear again: it is ended with the front, so that who it belongs to asks anew, and does not wait for as long as they can.
 *
 * @param tell `onItsWay`: of each when it is handed over; `onRefused`: when the front listens no more, and the cluster has it again
 */
export function endWhatIsHandedOver(
  front: ChildProcess,
  tell: { onItsWay: (connection: Handle) => void; onRefused: (connection: Handle) => void },
): void {
  const handed = new Map<number, Handle>()
  const send = front.send.bind(front) as Send
  const sendAndRemember: Send = (...given) => {
    const [message, connection] = given
    if (!isHandedOver.Check(message) || !isHandle(connection)) return send(...given)
    handed.set(message.seq, connection)
    const isSent = send(...given)
    tell.onItsWay(connection)
    return isSent
  }
  front.send = sendAndRemember as ChildProcess['send']
  front.on('internalMessage', (message: unknown) => {
    if (!isAnswer.Check(message)) return
    const connection = handed.get(message.ack)
    handed.delete(message.ack)
    if (connection !== undefined && !message.accepted) tell.onRefused(connection)
  })
  const disconnect = front.disconnect.bind(front)
  // Called when the way to the front has ended. Node tells of that when the front has said that it has what it was handed, which one that
  // was killed never does: until then, or for ever, the cluster would count on it, and who is handed to it next is lost, and the line behind.
  front.disconnect = () => {
    disconnect()
    front.emit('disconnect')
  }
  front.once('disconnect', () => {
    for (const connection of handed.values()) connection.close()
    handed.clear()
  })
}

/** As the processes of a cluster speak with each other. */
const isHandedOver = Compile(Type.Object({ act: Type.Literal('newconn'), seq: Type.Integer() }))
const isAnswer = Compile(Type.Object({ ack: Type.Integer(), accepted: Type.Boolean() }))

/** However many of its arguments are given. */
type Send = (...given: unknown[]) => boolean

type Handle = { close(): void }

function isHandle(connection: unknown): connection is Handle {
  return typeof connection === 'object' && connection !== null && 'close' in connection
}
