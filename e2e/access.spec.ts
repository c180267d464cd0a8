import { LANDING_PAGE } from "../lib/auth/redirect-target";
import { expect, test } from "./fixtures";

const PUBLIC = ["/", "/about", "/login", "/register", "/reset", "/pricing"];

const PROTECTED = [
  "/channel",
  "/channel/add",
  "/playground",
  "/redemption",
  "/user",
  "/setting",
  "/topup",
  "/log",
  "/detail",
  "/midjourney",
  "/task",
  "/audit",
  "/activity",
  "/chat2link",
  "/token",
  "/docs/api",
];
// sign-in.spec.ts looks at the page that these addresses lead to, and at what follows.
test("visitors see the public pages; every page of the console leads to sign-in and is where the reader comes to then (B006, B009, B010, B011, B015, B016, B017, B018, B019, B020, B022, B024, B026)", async ({
  request,
}) => {
  for (const path of PUBLIC) {
    const answer = await request.get(path, { maxRedirects: 0 });
    expect([path, answer.status()]).toEqual([path, 200]);
  }
  for (const path of PROTECTED) {
    const answer = await request.get(path, { maxRedirects: 0 });
    expect([path, answer.status()]).toEqual([path, 307]);
    const target = new URL(answer.headers().location ?? "", process.env.WEIR_E2E_URL);
    expect([path, target.pathname, target.searchParams.get("expired")]).toEqual([path, "/login", "true"]);
    expect([path, target.searchParams.get("redirect")]).toEqual([path, path === LANDING_PAGE ? null : path]);
    expect(await answer.text()).not.toContain("<table");
  }
});
