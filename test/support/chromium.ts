import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

/** A browser's program, and what its environment needs beside it. */
export type Chromium = { program: string; env: Record<string, string> }

const PACKAGE = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..')
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

/**
 * The Chromium that npm carries, packed, with the libraries and the font that a plain machine does not have. Unpacked the first
 * time (200 MB, some seconds), beside the dependencies or, where nobody may write there, in the temporary folder. Null on a kind
 * of machine it is not made for.
 */
export async function carriedChromium(): Promise<Chromium | null> {
  if (!isCarried()) return null
  const places = [CACHE, join(tmpdir(), `oppslag-${process.getuid?.()}`)].map((each) =>
    join(each, `chromium-${version}`),
  )
  const place = places.find((each) => existsSync(each)) ?? (await unpacked(places))
  return {
    program: join(place, 'chromium'),
    env: { LD_LIBRARY_PATH: join(place, 'al2023/lib'), FONTCONFIG_FILE: join(place, 'fonts.conf') },
  }
}

export function isCarried(): boolean {
  return process.platform === 'linux' && process.arch === 'x64'
}

/** In the first of these places that can be written. Whole or not at all: others may be doing the same. */
async function unpacked([place = '', ...others]: readonly string[]): Promise<string> {
  try {
    await mkdir(dirname(place), { recursive: true })
    const staging = await mkdtemp(`${place}-`)
    await unpack(staging, place)
    await rename(staging, place).catch(() => rm(staging, { recursive: true }))
    return place
  } catch (error) {
    if (others.length === 0) throw error
    return unpacked(others)
  }
}

async function unpack(folder: string, place: string): Promise<void> {
  // It unpacks into the temporary folder, under names of its own, and asks where that is as it is called.
  const { TMPDIR } = process.env
  process.env.TMPDIR = folder
  const parts = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) =>
    inflate(join(PACKAGE, 'bin', name)),
  )
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  await Promise.all(parts)
  await chmod(folder, 0o755)
  await chmod(join(folder, 'chromium'), 0o755)
  await writeFile(
    join(folder, 'fonts.conf'),
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${place}/fonts</dir><cachedir>${place}/fonts-cache</cachedir></fontconfig>
`,
  )
}
