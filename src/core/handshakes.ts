import tls from 'node:tls'

/**
 * Whoever answers chooses the numbers of a Diffie-Hellman exchange that is not of a curve, of up to ten thousand bits, before it has
 * shown who it is: a second of the event loop for each connection. Nobody whom we ask needs it: it is offered by no connection that
 * this process makes from now on.
 */
export function offerCurvesAlone(): void {
  if (tls.DEFAULT_CIPHERS.includes(WITHOUT_NUMBERS)) return
  tls.DEFAULT_CIPHERS += WITHOUT_NUMBERS
}

const WITHOUT_NUMBERS = ':!DHE'
