/** Small line charts as PNG, for mails: mail programs do not show SVG. Without texts: those stand beside the image, where they can be read aloud. */
import { PNG } from 'pngjs'

export interface LineImage {
  /** One line each; undefined leaves a gap. They share the scale, which begins at 0. */
  lines: readonly (readonly (number | undefined)[])[]
}

const WIDTH = 600
const HEIGHT = 160
const EDGE = 8
const GRID = 4
/** The first is dark and thick, so that it can be told from the second without colour. */
export const LINE_COLOURS = ['#1f3a6e', '#c2571a'] as const
const BACKGROUND = [255, 255, 255]
const GREY = [221, 221, 221]

export function linePng({ lines }: LineImage): Uint8Array {
  const png = new PNG({ width: WIDTH, height: HEIGHT, colorType: 2 })
  const dot = (x: number, y: number, [r, g, b]: readonly number[]) => {
    if (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT) return
    png.data.set([r, g, b, 255], (y * WIDTH + x) * 4)
  }
  for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) dot(x, y, BACKGROUND)
  const top = Math.max(1e-9, ...lines.flatMap((line) => line.filter((value) => value !== undefined)))
  const [width, height] = [WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE]
  for (let step = 0; step <= GRID; step++)
    for (let x = EDGE; x < WIDTH - EDGE; x++) dot(x, EDGE + Math.round((height * step) / GRID), GREY)
  for (const [nth, line] of lines.entries()) {
    const colour = rgb(LINE_COLOURS[nth % LINE_COLOURS.length])
    const thick = nth === 0 ? 2 : 1
    const at = (i: number, value: number) =>
      [EDGE + (width * i) / Math.max(1, line.length - 1), EDGE + height * (1 - value / top)] as const
    for (const [i, value] of line.entries()) {
      if (value === undefined) continue
      const here = at(i, value)
      const before = line[i - 1]
      stroke(before === undefined ? here : at(i - 1, before), here, thick, (x, y) => dot(x, y, colour))
    }
  }
  return PNG.sync.write(png, { colorType: 2 })
}

function stroke(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  thick: number,
  dot: (x: number, y: number) => void,
): void {
  const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1))))
  for (let step = 0; step <= steps; step++) {
    const x = Math.round(x1 + ((x2 - x1) * step) / steps)
    const y = Math.round(y1 + ((y2 - y1) * step) / steps)
    for (let dx = 0; dx < thick; dx++) for (let dy = 0; dy < thick; dy++) dot(x + dx, y + dy)
  }
}

const rgb = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
