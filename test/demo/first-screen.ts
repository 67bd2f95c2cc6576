import { SAMPLE } from '#src/samples/numbers.ts'

/** What the demo prints: ten lines at most, in the order a person wants them. The call stands alone, to be taken as it is. */
export function firstScreen(demo: {
  address: string
  token: string
  opsAddress: string
  operatorToken: string
  feedCall: string
}): string[] {
  const { address, token, opsAddress, operatorToken, feedCall } = demo
  return [
    `Bedriftsoppslag (demo, invented companies) listens on ${address}`,
    `Look at a company:    ${address}/eksempel   all there are: ${address}/eksempler`,
    'Call it:',
    `curl -H 'Authorization: Bearer ${token}' ${address}/api/bedrift/${SAMPLE.healthy}`,
    `Watch one, step by step, and let it go bankrupt:  ${address}/demo/hendelser   it comes as mail: ${address}/demo/post   as webhook: ${address}/demo/mottak   and:`,
    feedCall,
    `Buy a key:            ${address}/kjop`,
    'Make a key:           npm run -s oppslag -- nokkel utsted --epost you@example.com --vis --hvorfor "to try it"',
    `The operators' side:  ${opsAddress}   token: ${operatorToken}`,
    `Documentation:        ${address}/dokumentasjon`,
  ]
}
