import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { tellUnreadable } from '#src/core/unreadable.ts'

/** A front tells where it listens, and every second that it lives; whoever keeps it tells how many of its own lines were lost. */
const FrontMessage = Type.Union([
  Type.Object({ listens: Type.String({ minLength: 1 }) }),
  Type.Object({ lives: Type.Literal(true) }),
  Type.Object({ lost: Type.Integer({ minimum: 0 }) }),
])
const shape = Compile(FrontMessage)

/** Null: it is none of ours, and is counted. */
export function readFrontMessage(message: unknown): Static<typeof FrontMessage> | null {
  if (shape.Check(message)) return message
  tellUnreadable('front')
  return null
}
