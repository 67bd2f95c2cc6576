import { systemClock } from '#src/core/clock.ts'
import { samplesAt } from '#src/samples/samples.ts'
import { startRegisterStandIn } from './support/register-stand-in.ts'

/** Door: the stand-in for the registers alone, over the invented companies. It prints the variables that lead the service to it. */
const register = await startRegisterStandIn({ answers: samplesAt(systemClock.now()) })
console.log(`REGISTER_URL=${register.registerUrl}`)
console.log(`KUNNGJORING_URL=${register.kunngjoringUrl}`)
console.log(`KLASS_URL=${register.klassUrl}`)
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => register.close())
