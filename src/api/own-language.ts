import { tagIn, type WholeAnswer } from '#src/cache/answers.ts'
import { packed } from '#src/core/packed.ts'
import { inEnglish } from '#src/record/own-words.ts'

/**
 * An answer with what we ourselves say in it in English, for who asks for that. Norwegian answers are held; English ones are
 * made of them for each request, and no form of theirs is kept, so that one can never be given for the other. Another tag: a
 * copy in one language is no answer in the other.
 */
export function englishOf<A extends WholeAnswer>(answer: A): A {
  const headers = answer.headers.map((value, index) =>
    answer.headers[index - 1] === 'content-language' ? 'en' : value,
  )
  return {
    ...answer,
    bytes: Buffer.from(inEnglish(answer.bytes.toString())),
    etag: tagIn(answer.etag, 'en'),
    headers,
  }
}

/** What is sent once is packed once. */
export const PACKED_ONCE = {
  encoded: (_orgnr: string, { bytes }: WholeAnswer, encoding: Parameters<typeof packed>[1]) =>
    packed(bytes, encoding),
}
