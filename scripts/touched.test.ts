import { expect, test } from "vitest";
import { isOfRoute } from "../e2e/screens";
import { readImports, routeOf, screenOf, usersOf } from "./touched";

test("what reaches a changed file is found, the nearest first, and a circle ends", () => {
  const imports = new Map([
    ["far.test.ts", ["page.tsx"]],
    ["page.tsx", ["list.tsx", "other.ts"]],
    ["list.tsx", ["cell.tsx"]],
    ["cell.tsx", ["list.tsx"]],
    ["cell.test.ts", ["cell.tsx"]],
    ["other.test.ts", ["other.ts"]],
  ]);
  expect(usersOf(imports, ["cell.tsx"])).toEqual(["cell.tsx", "list.tsx", "cell.test.ts", "page.tsx", "far.test.ts"]);
});

test("a page is reached from what it shows and from what its layouts show", async () => {
  const page = "app/(console)/redemption/page.tsx";
  const imports = await readImports([page, "app/(console)/layout.tsx", "app/(public)/page.tsx"]);
  for (const shown of ["components/redemption/redemption-table.tsx", "components/shell/sidebar.tsx"])
    expect(usersOf(imports, [shown]), shown).toContain(page);
  expect(usersOf(imports, ["components/redemption/redemption-table.tsx"])).not.toContain("app/(public)/page.tsx");
});

test.each([
  ["app/(public)/page.tsx", "/", ["/"], ["/about"]],
  ["app/(console)/channel/page.tsx", "/channel", ["/channel", "/channel?create=true"], ["/channel/1", "/"]],
  ["app/(console)/user/[id]/page.tsx", "/user/[id]", ["/user/1", "/user/edit"], ["/user", "/user/1/keys"]],
  ["app/x/[...rest]/page.tsx", "/x/[...rest]", ["/x/y/z"], ["/y"]],
])("%s shows the screens of %s", (page, route, screens, others) => {
  expect(routeOf(page)).toBe(route);
  for (const screen of screens) expect([screen, isOfRoute(screen, route)]).toEqual([screen, true]);
  for (const screen of others) expect([screen, isOfRoute(screen, route)]).toEqual([screen, false]);
});

test("a spec is of the screen that it opens most often, itself or by its page classes", () => {
  const pages: Record<string, string> = { "user-page": "await this.page.goto(`/user\u0024{query}`);" };
  const read = (name: string) => pages[name] ?? "";
  const direct =
    'await page.goto("/log?type=2"); await page.goto(`\u0024{server.url}/log`); await page.goto("/token");';
  expect(screenOf(direct, read)).toEqual({ screen: "/log", share: 2 / 3 });
  const byClass = 'import { UserPage } from "./pages/user-page"; users.open(); users.openAt("/token"); users.open();';
  expect(screenOf(byClass, read)).toEqual({ screen: "/user", share: 3 / 4 });
  expect(screenOf('await call("/api/user/self")', read)).toEqual({ screen: null, share: 0 });
});
