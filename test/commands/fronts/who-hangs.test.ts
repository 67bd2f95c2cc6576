import { describe, expect, it } from 'vitest'
import { createHangWatch } from '#src/commands/fronts/who-hangs.ts'

describe('processes that hang', () => {
  const watch = () => {
    const hanging: string[] = []
    const looks = createHangWatch<string>({
      unheardMax: 3,
      unheardAtFirstMax: 10,
      onHang: (name) => hanging.push(name),
    })
    return { ...looks, hanging }
  }
  const times = (count: number, act: () => void) => Array.from({ length: count }, act)

  it('P37: one that has stopped saying that it lives is found once, and none that goes on', () => {
    const { heard, look, hanging } = watch()
    heard('silent')
    times(20, () => {
      heard('living')
      look()
    })
    expect(hanging).toEqual(['silent'])
  })

  it('P37: one that has not been heard yet, or has ended, is none', () => {
    const { heard, forget, look, hanging } = watch()
    heard('ended')
    forget('ended')
    times(20, look)
    expect(hanging).toEqual([])
  })

  it('P37: attack: one that hangs before it has said anything is found as well, after longer', () => {
    const { started, heard, look, hanging } = watch()
    started('slow')
    started('stillborn')
    times(10, look)
    expect(hanging).toEqual([])
    heard('slow')
    look()
    expect(hanging).toEqual(['stillborn'])
    times(20, look)
    expect(hanging).toEqual(['stillborn', 'slow'])
  })

  it('P37: one that is heard at the last moment is looked at anew', () => {
    const { heard, look, hanging } = watch()
    heard('one')
    times(3, look)
    heard('one')
    times(3, look)
    expect(hanging).toEqual([])
  })
})
