/** How long an answer lives: fresh for `freshMs`, then stale for `staleMs` (0: never served stale), then known for `keepMs`. */
export type Lifetime = { readonly freshMs: number; readonly staleMs: number; readonly keepMs: number }
