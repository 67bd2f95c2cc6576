import { numberFormat } from '#src/core/formats.ts'
import type { Language } from '#src/core/language.ts'

/** `499 kr`, `NOK 499`: without decimals where there are none to show. */
export function priceText(
  { priceOre, currency }: { priceOre: number; currency: string },
  language: Language,
): string {
  return numberFormat(language === 'nb' ? 'nb-NO' : 'en-GB', {
    style: 'currency',
    currency,
    ...(priceOre % 100 === 0 ? { minimumFractionDigits: 0, maximumFractionDigits: 0 } : {}),
  }).format(priceOre / 100)
}
