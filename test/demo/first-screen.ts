import { SAMPLE } from '#src/samples/numbers.ts'

/** What the demo prints: ten lines at most, in the order a person wants them. The call stands alone, to be taken as it is. */
export function firstScreen(demo: {
  address: string
  token: string
  opsAddress: string
  operatorToken: string
}): string[] {
  const { address, token, opsAddress, operatorToken } = demo
  return [
    `Bedriftsoppslag (demo, invented companies) listens on ${address}`,
    `Look at a company:    ${address}/eksempel`,
    `All there are:        ${address}/eksempler`,
    'Call it:',
    `curl -H 'Authorization: Bearer ${token}' ${address}/api/bedrift/${SAMPLE.healthy}`,
    `Buy a key:            ${address}/kjop`,
    'Make a key:           npm run -s oppslag -- nokkel utsted --epost you@example.com --vis --hvorfor "to try it"',
    `Read the mails:       ${address}/demo/post`,
    `The operators' side:  ${opsAddress}   token: ${operatorToken}`,
    `Documentation:        ${address}/dokumentasjon`,
  ]
}
