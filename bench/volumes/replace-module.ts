/**
 * Another module in the place of one of the product's, for one process and its threads. So a benchmark can leave a piece
 * out, though the product has no flag for that and is not to have one.
 */
import { registerHooks } from 'node:module'

/** `importer` and `specifier` as they stand in the product; a replacement that never takes place would measure nothing. */
export function replaceModule(importer: string, specifier: string, by: URL): void {
  registerHooks({
    resolve(asked, context, nextResolve) {
      const here = asked === specifier && context.parentURL?.endsWith(importer)
      return here ? { url: by.href, shortCircuit: true } : nextResolve(asked, context)
    },
  })
}
