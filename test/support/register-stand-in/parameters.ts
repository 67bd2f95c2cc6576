import type { Refusal } from './reply.ts'

/** Reads a query as the entity register does: what it does not know, or can not read, is refused. */
export function parameters(url: URL, known: readonly string[]) {
  const refusals: Refusal[] = []
  const refuse = (parameter: string, message: string) => {
    const value = url.searchParams.get(parameter)
    refusals.push({ parameter, message, ...(value === null ? {} : { value }) })
  }
  for (const name of new Set(url.searchParams.keys())) {
    if (!known.includes(name)) refuse(name, 'Ukjent parameter')
  }

  return {
    refusals: refusals as readonly Refusal[],
    refuse,
    text: (name: string) => url.searchParams.get(name),
    number(name: string, bounds: { min: number; max?: number; fallback: number }): number {
      const text = url.searchParams.get(name)
      if (text === null) return bounds.fallback
      const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
      if (number >= bounds.min && number <= (bounds.max ?? Number.MAX_SAFE_INTEGER)) return number
      refuse(name, `Må være et heltall fra og med ${bounds.min}`)
      return bounds.fallback
    },
    instant(name: string): string | null {
      const text = url.searchParams.get(name)
      if (text === null) return null
      const isInstant =
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))
      if (!isInstant) {
        refuse(name, "Dato må være en gyldig dato og på formatet yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
      }
      return text
    },
    /** A comma list; one bad number refuses the whole of it. */
    organisationNumbers(): string[] | null {
      const text = url.searchParams.get('organisasjonsnummer')
      if (text === null) return null
      const numbers = text.split(',')
      if (!numbers.every((number) => /^\d{9}$/.test(number))) {
        refuse('organisasjonsnummer', 'Organisasjonsnummer må bestå av 9 siffer')
      }
      return numbers
    },
  }
}
