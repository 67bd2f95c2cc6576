import { openTestPool } from '#test/support/test-pool.ts'
import { held, ORGNR, recorderOver, unitAt } from './looking.ts'

/*
 * A fill in a process of its own, which says how far it has come: fetched, written, and visible. It had the company as it was
 * an hour ago, and finds it bankrupt.
 */

const [url = ''] = process.argv.slice(2)
const say = (word: string) => process.send?.(word)
const goOn = () => new Promise<void>((resolve) => process.once('message', () => resolve()))

const recorder = recorderOver(openTestPool(url, 2))
const now = new Date()
const earlier = unitAt({}, new Date(now.getTime() - 3_600_000))
const told = recorder.begin(ORGNR, 'enhet', held(earlier))
say('fetched')
await goOn()
await told?.(() => unitAt({ konkurs: true }, now))
say('written')
await goOn()
say('visible')
setInterval(() => {}, 60_000)
