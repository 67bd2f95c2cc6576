/**
 * What stands for a text in this process: SipHash-2-4 of it, 128 bits, under a key drawn when the process began
 * (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012).
 *
 * It is made of every key that is shown, proved or not, so it is to be cheap: half of a SHA-256. It is safe for what it is
 * used for. Without the key its tags are as good as drawn by lot, however many texts one chooses, and none is ever told: to be
 * taken for another text is one chance in 2^128 a try, each of which is a request. It is made in a time that depends on the
 * text's length alone, without a table to look into; and how far two tags agree, which the time of comparing them might tell, says
 * nothing of how far the texts do. From a tag in a memory dump no text is found, which is 256 bits of a secret besides.
 *
 * @param key 16 bytes
 * @returns for texts of the characters U+0000 to U+00FF; what lies beyond counts by its low byte
 */
export function createTagger(key: Uint8Array): (text: string) => string {
  const words = new Int32Array(key.slice(0, 16).buffer)
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = words
  return (text) => tagOf(k0, k1, k2, k3, text)
}

/** JavaScript has 32-bit integers: each word of 64 is two, `l` its low half and `h` its high one. */
function tagOf(k0l: number, k0h: number, k1l: number, k1h: number, text: string): string {
  const length = text.length
  const whole = length & ~7
  let v0l = k0l ^ 0x70736575
  let v0h = k0h ^ 0x736f6d65
  let v1l = k1l ^ 0x6e646f6d ^ 0xee
  let v1h = k1h ^ 0x646f7261
  let v2l = k0l ^ 0x6e657261
  let v2h = k0h ^ 0x6c796765
  let v3l = k1l ^ 0x79746573
  let v3h = k1h ^ 0x74656462
  let firstLow = 0
  let firstHigh = 0
  // The words of the text, the last of which has its length, and then the two halves of the tag.
  for (let at = 0; at <= whole + 16; at += 8) {
    let ml = 0
    let mh = 0
    if (at < whole) {
      ml = wordAt(text, at)
      mh = wordAt(text, at + 4)
    } else if (at === whole) {
      for (let place = at; place < length; place++) {
        const byte = text.charCodeAt(place) & 255
        if (place < at + 4) ml |= byte << ((place - at) << 3)
        else mh |= byte << ((place - at - 4) << 3)
      }
      mh |= length << 24
    }
    v3l ^= ml
    v3h ^= mh
    const rounds = at <= whole ? 2 : 4
    for (let round = 0; round < rounds; round++) {
      let sum = (v0l >>> 0) + (v1l >>> 0)
      v0h = (v0h + v1h + (sum > MOST ? 1 : 0)) | 0
      v0l = sum | 0
      sum = (v2l >>> 0) + (v3l >>> 0)
      v2h = (v2h + v3h + (sum > MOST ? 1 : 0)) | 0
      v2l = sum | 0
      let turned = (v1h << 13) | (v1l >>> 19)
      v1l = ((v1l << 13) | (v1h >>> 19)) ^ v0l
      v1h = turned ^ v0h
      turned = (v3h << 16) | (v3l >>> 16)
      v3l = ((v3l << 16) | (v3h >>> 16)) ^ v2l
      v3h = turned ^ v2h
      turned = v0h
      v0h = v0l
      v0l = turned
      sum = (v2l >>> 0) + (v1l >>> 0)
      v2h = (v2h + v1h + (sum > MOST ? 1 : 0)) | 0
      v2l = sum | 0
      sum = (v0l >>> 0) + (v3l >>> 0)
      v0h = (v0h + v3h + (sum > MOST ? 1 : 0)) | 0
      v0l = sum | 0
      turned = (v1h << 17) | (v1l >>> 15)
      v1l = ((v1l << 17) | (v1h >>> 15)) ^ v2l
      v1h = turned ^ v2h
      turned = (v3h << 21) | (v3l >>> 11)
      v3l = ((v3l << 21) | (v3h >>> 11)) ^ v0l
      v3h = turned ^ v0h
      turned = v2h
      v2h = v2l
      v2l = turned
    }
    v0l ^= ml
    v0h ^= mh
    if (at === whole) v2l ^= 0xee
    else if (at === whole + 8) {
      firstLow = v0l ^ v1l ^ v2l ^ v3l
      firstHigh = v0h ^ v1h ^ v2h ^ v3h
      v1l ^= 0xdd
    }
  }
  return asText(firstLow, firstHigh, v0l ^ v1l ^ v2l ^ v3l, v0h ^ v1h ^ v2h ^ v3h)
}

const MOST = 0xff_ff_ff_ff

function wordAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) & 255) |
    ((text.charCodeAt(at + 1) & 255) << 8) |
    ((text.charCodeAt(at + 2) & 255) << 16) |
    (text.charCodeAt(at + 3) << 24)
  )
}

/** Eight characters of 16 bits: nobody reads them. */
function asText(a: number, b: number, c: number, d: number): string {
  return String.fromCharCode(
    a & 0xffff,
    a >>> 16,
    b & 0xffff,
    b >>> 16,
    c & 0xffff,
    c >>> 16,
    d & 0xffff,
    d >>> 16,
  )
}
