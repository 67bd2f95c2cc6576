/** This process does nothing else for so long. */
export function beBusyFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}
