import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Longer than any install; a process number that went to another program in the meantime is no reason to wait longer. */
const TURN_MAX_MS = 15 * 60_000

/**
 * One process at a time: the file holds the number of the one whose turn it is.
 *
 * @returns `isAfterBroken`: the one before died without leaving
 */
export async function takeTurn(file) {
  let isAfterBroken = false
  let hasSaid = false
  while (true) {
    const holder = holderOf(file)
    if (holder !== null && isAtWork(holder, file)) {
      if (!hasSaid) console.error('Another process is installing the dependencies: waiting for it …')
      hasSaid = true
      await pause(200)
      continue
    }
    if (holder !== null) {
      isAfterBroken = true
      rmSync(file, { force: true })
    }
    if (!begin(file)) continue
    // Another that saw the same one dead may have taken it away again.
    await pause(50)
    if (holderOf(file) === process.pid) return { isAfterBroken, leave: () => rmSync(file, { force: true }) }
  }
}

/** Through a name of its own, so that nobody reads it before its number is in it. */
function begin(file) {
  const own = `${file}-${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function isAtWork(holder, file) {
  try {
    process.kill(holder, 0)
  } catch (error) {
    // EPERM: it is there, and another user's.
    if (error.code === 'ESRCH') return false
  }
  try {
    return Date.now() - statSync(file).mtimeMs < TURN_MAX_MS
  } catch {
    return false
  }
}
