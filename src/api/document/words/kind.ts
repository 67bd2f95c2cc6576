/**
 * What the published document says, by the name of what it is said of:
 *
 * - `Shape`: a named shape. `Shape.field`, and `field` where it is the same in every shape.
 * - `operation()`, `operation>` and `operation>type` (what is sent), `operation?parameter`, `?parameter`, `operation:status`, `:status`, `header:`, `#tag`, `!security scheme`.
 *
 * A pair is Norwegian and English. One text is the English for what stands in Norwegian with the shape itself.
 */
export type DocumentWords = Readonly<Record<string, string | readonly [norwegian: string, english: string]>>
