import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A secret as it may stand somewhere: plain, in base64 wherever in the text it begins, and in hexadecimal. What is compressed
 * is not found: who searches sees to it that nothing is.
 */
function formsOf(secret: string): Buffer[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.from(`${' '.repeat(before)}${secret}`).toString('base64')
    // The characters at both ends hold bits of what stands beside it.
    return Buffer.from(text.slice(before === 0 ? 0 : 4, -4))
  })
  return [Buffer.from(secret), ...inBase64, Buffer.from(Buffer.from(secret).toString('hex'))]
}

/** Whether it stands there in any form. */
export function holds(bytes: Buffer | string, secret: string): boolean {
  const searched = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  return formsOf(secret).some((form) => searched.includes(form))
}

/** Every file below a folder, one after the other. One that has gone meanwhile is passed over. */
export async function wholeFolder(folder: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    parts.push(await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0)))
  }
  return Buffer.concat(parts)
}
