import { setTimeout as pause } from 'node:timers/promises'
import { within } from '../wait.ts'

/** Where lines go. */
export type Output = {
  /** Writes some of it. @returns how many bytes it took. @throws what the system says, when it took none */
  write(bytes: Buffer): Promise<number>
}

export type LinesBounds = {
  /** Characters, or their bytes, that wait to be written, those on their way included. */
  readonly waitingMax: number
  /** What can wait a moment is written when there is so much of it, or so long after the first of it came. */
  readonly gatheredMax: number
  readonly gatherMs: number
  /** How soon what could not be written is tried again: by an output that is full or gone, and by one that is merely slow. */
  readonly retryMs: number
  readonly slowRetryMs: number
  /** The last lines of a process are waited for so long, and not at all by an output that takes none. */
  readonly flushWithinMs: number
}

export type LogLines = ReturnType<typeof createLogLines>

/**
 * Lines on their way to an output that may be full, slow or gone (P44). Whoever writes never waits and never fails: what can
 * not be written now is kept within a bound and tried again for as long as the process lives, what comes on top of that is
 * lost and counted, and as soon as there is room a line says how many.
 */
export function createLogLines(
  output: Output,
  {
    bounds,
    lostLine,
    onTrouble,
  }: {
    bounds: LinesBounds
    lostLine: (count: number) => string
    /** It takes nothing; told once until it does again. */
    onTrouble: (code: string) => void
  },
) {
  let waiting = ''
  /** Waits before that, as bytes already. */
  let packed: Buffer<ArrayBuffer>[] = []
  let packedBytes = 0
  let batch = Buffer.alloc(0)
  let isWriting = false
  /** Among what waits is something that is not to wait for more. */
  let isDue = false
  let isGathering = false
  let isInTrouble = false
  let lost = 0
  let lostUntold = 0
  const onRoom: (() => void)[] = []
  const onSettled: (() => void)[] = []

  const unwritten = () => packedBytes + waiting.length
  const held = () => unwritten() + batch.length

  /** While it is still at hand: what hundreds of requests lie upon is several times as slow to put together. */
  function add(lines: string): void {
    waiting += lines
    if (waiting.length >= PACKED_AT) pack()
  }

  function pack(): void {
    const bytes = Buffer.from(waiting)
    packed.push(bytes)
    packedBytes += bytes.length
    waiting = ''
  }

  function takeAll(): Buffer<ArrayBuffer> {
    pack()
    const [only] = packed
    const all = only !== undefined && packed.length === 1 ? only : Buffer.concat(packed)
    packed = []
    packedBytes = 0
    return all
  }

  async function writeAll(): Promise<void> {
    isWriting = true
    while (unwritten() > 0 && (isDue || unwritten() >= bounds.gatheredMax)) {
      batch = takeAll()
      isDue = false
      while (batch.length > 0) batch = batch.subarray(await taken(batch))
      // What was lost came after what waited until now, and before what finds room from now on.
      if (lostUntold > 0) {
        add(lostLine(lostUntold))
        isDue = true
      }
      lostUntold = 0
      if (held() <= bounds.waitingMax / 2) call(onRoom.splice(0))
    }
    isWriting = false
    if (unwritten() > 0) writeSoon()
    call(onSettled.splice(0))
  }

  /** The process does not live on for it: whoever ends it asks for what is left (`flushed`). */
  function writeSoon(): void {
    if (isGathering) return
    isGathering = true
    setTimeout(() => {
      isGathering = false
      writeNow()
    }, bounds.gatherMs).unref()
  }

  function writeNow(): void {
    isDue = unwritten() > 0
    if (isDue && !isWriting) void writeAll()
  }

  /** Tries for as long as it takes. */
  async function taken(bytes: Buffer): Promise<number> {
    while (true) {
      try {
        const count = await output.write(bytes)
        isInTrouble = false
        return count
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
        const isSlow = code === 'EAGAIN'
        if (!isSlow && !isInTrouble) {
          isInTrouble = true
          onTrouble(code)
          call(onSettled.splice(0))
        }
        await pause(isSlow ? bounds.slowRetryMs : bounds.retryMs, undefined, { ref: false })
      }
    }
  }

  function push(lines: string): void {
    add(lines)
    writeNow()
  }

  /** @returns whether there is room; they are counted as lost where there is none */
  function fits(lines: string): boolean {
    if (held() + lines.length <= bounds.waitingMax) return true
    const count = lines.split('\n').length - 1
    lost += count
    lostUntold += count
    return false
  }

  return {
    /** One line or several, each with its end. */
    write(lines: string): void {
      if (fits(lines)) push(lines)
    },

    /** The same for what comes in crowds: written with the next that is not, or in blocks, or within a moment. */
    gather(lines: string): void {
      if (!fits(lines)) return
      add(lines)
      if (isWriting) return
      if (unwritten() >= bounds.gatheredMax) writeNow()
      else writeSoon()
    },

    /** For whoever can wait: they are taken whatever else waits. @returns false when the next are to wait for `onRoom` */
    push(lines: string): boolean {
      push(lines)
      return held() <= bounds.waitingMax
    },

    onRoom(listener: () => void): void {
      onRoom.push(listener)
    },

    /** Lines that were lost in the life of this process. */
    lost: () => lost,

    /** All there was has been written, or can not be now. */
    async flushed(): Promise<void> {
      writeNow()
      if (!isWriting || isInTrouble) return
      const settled = new Promise<void>((resolve) => onSettled.push(resolve))
      await within(settled, bounds.flushWithinMs, () => {})
    },
  }
}

/** Characters: some twenty lines of requests. */
const PACKED_AT = 4096

function call(listeners: readonly (() => void)[]): void {
  for (const listener of listeners) listener()
}
