import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

type Decoder = { decodeReply: (body: string, manifest: object) => Promise<unknown[]> };

const require = createRequire(import.meta.url);
const compiled = "next/dist/compiled";

let decoder: Decoder | undefined;

/** Decodes the body of a server action call with the same code as Next.js. */
export async function decodeArguments(body: string): Promise<unknown[]> {
  decoder ??= loadDecoder();
  return decoder.decodeReply(body, {});
}

/** Evaluated here because the module refuses to load outside a server component bundle. */
function loadDecoder(): Decoder {
  const file = `${compiled}/react-server-dom-webpack/cjs/react-server-dom-webpack-server.node.production.js`;
  const module = { exports: {} as Decoder };
  const supplied: Record<string, unknown> = {
    react: require(`${compiled}/react/react.react-server.js`),
    "react-dom": { __DOM_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: { d: {} } },
  };
  const run = new Function("require", "exports", "module", readFileSync(require.resolve(file), "utf8"));
  run((name: string) => supplied[name] ?? require(name), module.exports, module);
  return module.exports;
}

/** A view of a value that throws when more than `limit` objects were listed, so that an endless walk ends the test. */
export function metered<Value>(value: Value, limit: number): { value: Value; reads: () => number } {
  let reads = 0;
  // One view per object, which values that contain one object exponentially often read again and again.
  const views = new WeakMap<object, object>();
  const wrap = <Inner>(inner: Inner): Inner => {
    if (typeof inner !== "object" || inner === null) return inner;
    const known = views.get(inner);
    if (known) return known as typeof inner;
    const view = new Proxy(inner, {
      ownKeys: (target) => {
        count();
        return Reflect.ownKeys(target);
      },
      get: (target, key) => {
        if (key === Symbol.iterator) count();
        return wrap(Reflect.get(target, key));
      },
    });
    views.set(inner, view);
    return view;
  };
  function count(): void {
    reads += 1;
    if (reads > limit) throw new Error(`walked through more than ${limit} objects`);
  }
  return { value: wrap(value), reads: () => reads };
}
