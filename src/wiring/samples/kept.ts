/** Of one edition, made when somebody first asks for it. */
export function kept<T>(edition: () => string | number, make: () => Promise<T>): () => Promise<T> {
  let held: { edition: string | number; value: Promise<T> } | null = null
  return () => {
    const now = edition()
    if (held?.edition !== now) {
      const making = { edition: now, value: make() }
      held = making
      making.value.catch(() => {
        if (held === making) held = null
      })
    }
    return held.value
  }
}
