import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkPageTexts } from "./page-texts";

const ROOT = join(import.meta.dirname, "..");

const readSources = () =>
  new Map(
    ["app", "components", "lib"]
      .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((path) => `${folder}/${path}`))
      .filter((path) => /\.tsx?$/.test(path) && !/\.(test|d)\.tsx?$/.test(path))
      .map((path) => [path, readFileSync(join(ROOT, path), "utf8")]),
  );

test("each page carries the texts that its client components use, and no others", () => {
  expect(checkPageTexts(readSources())).toEqual([]);
});

const client = (...texts: string[]) =>
  `"use client";\n${texts.map((text) => `const t = useTranslations("${text}");`).join("\n")}`;
const page = (texts: string[], ...imports: string[]) =>
  `${imports.map((path) => `import { X } from "${path}";`).join("\n")}\n<Texts of={${JSON.stringify(texts)}}>`;
const check = (sources: Record<string, string>) => checkPageTexts(new Map(Object.entries(sources)));

test("a client component without its texts is found, also behind a shared or lazily imported one", () => {
  const problem = 'app/a/page.tsx: no texts "token" for components/table.tsx';
  const table = { "components/table.tsx": client("token") };
  expect(check({ "app/a/page.tsx": page([], "@/components/table"), ...table })).toEqual([problem]);
  const shared = { "components/list.tsx": 'import { X } from "./table";', ...table };
  expect(check({ "app/a/page.tsx": page([], "@/components/list"), ...shared })).toEqual([problem]);
  const lazy = { "components/list.tsx": '"use client";\nlazy(() => import("./table"));', ...table };
  expect(check({ "app/a/page.tsx": page([], "@/components/list"), ...lazy })).toEqual([problem]);
  const helper = { "components/list.tsx": '"use client";\nimport {\n  a,\n  b,\n} from "./name";' };
  const name = { "components/name.ts": 'const t = useTranslations("token");' };
  expect(check({ "app/a/page.tsx": page([], "@/components/list"), ...helper, ...name })).toEqual([
    'app/a/page.tsx: no texts "token" for components/name.ts',
  ]);
});

test("texts come from the page, a layout around it or the server component that renders the client one", () => {
  const table = { "components/table.tsx": client("token.table") };
  const bare = { "app/a/b/page.tsx": page([], "@/components/table"), ...table };
  expect(check({ ...bare, "app/a/layout.tsx": page(["token.table"]) })).toEqual([]);
  expect(check({ ...table, "app/a/page.tsx": page(["token.table"], "@/components/table") })).toEqual([]);
  expect(
    check({
      ...table,
      "app/a/page.tsx": page([], "./part"),
      "app/a/part.tsx": page(["token.table"], "@/components/table"),
    }),
  ).toEqual([]);
  expect(check({ ...bare, "app/c/layout.tsx": page([]) })).toHaveLength(1);
  expect(check({ ...table, "app/error.tsx": '"use client";\nimport { X } from "@/components/table";' })).toHaveLength(
    1,
  );
});

test("texts that nothing uses are found: unknown ones, those given above, and more than the used part", () => {
  const table = { "components/table.tsx": client("token.table") };
  const given = (texts: string[]) => ({ "app/a/page.tsx": page(texts, "@/components/table"), ...table });
  const unused = (text: string) => [`app/a/page.tsx: nothing uses the texts "${text}", or they are given above`];
  expect(check(given(["token.table", "log"]))).toEqual(unused("log"));
  expect(check(given(["token"]))).toEqual(unused("token"));
  expect(check({ ...given(["token.table"]), "app/layout.tsx": page(["token.table"]) })).toEqual(unused("token.table"));
});

test("server components, server actions and types need no texts", () => {
  const sources = {
    "app/a/page.tsx": page([], "./server", "./client"),
    "app/a/server.tsx": 'const t = useTranslations("token");',
    "app/a/client.tsx":
      '"use client";\nimport { act } from "./actions";\nimport type { T } from "./server";\nimport { type T } from "./server";',
    "app/a/actions.ts": '"use server";\nimport { X } from "./server";',
  };
  expect(check(sources)).toEqual([]);
});

test("a path that is not a literal is found", () => {
  expect(check({ "components/any.tsx": '"use client";\nconst t = useTranslations(name);' })).toEqual([
    "components/any.tsx: useTranslations needs the path of its texts as a literal",
  ]);
});
