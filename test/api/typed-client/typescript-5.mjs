// The generator builds on the compiler's interface, which TypeScript 7.0 does not have; what it makes is compiled by 7.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
})
