import { startOrExplain } from '#src/core/start.ts'
import { endInOrder } from '#src/wiring/ending.ts'
import { openDemo, startSurroundings } from './demo/open-demo.ts'
import { inDemoPlace } from './support/demo-place.ts'

/**
 * Door: the whole service over a register of invented companies, with a key to try it with, and a shop: one pays at a stand-in
 * for Vipps, and reads the mails at /demo/post, where nobody but this machine can.
 */
const surroundings = await startSurroundings()
const demo = await startOrExplain((ended) =>
  inDemoPlace(process.env, (place) => openDemo({ ...process.env, ...place }, surroundings, ended)),
)
endInOrder({
  log: demo.service.log,
  endedBy: demo.service.endedBy,
  async close() {
    await demo.close()
    await surroundings.close()
  },
})
for (const line of demo.screen) console.log(line)
