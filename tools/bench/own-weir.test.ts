import { expect, test } from "vitest";
import { ENVIRONMENT_NAMES } from "@/lib/env";
import { ownEnvironment } from "./own-weir";

test("no setting of an installation reaches the Weir that the bench starts for itself", () => {
  const installation = Object.fromEntries(ENVIRONMENT_NAMES.map((name) => [name, `installation-${name}`]));
  const env = ownEnvironment({ ...installation, PATH: "/bin", NODE_ENV: "production" });
  const kept = ENVIRONMENT_NAMES.filter((name) => String(env[name]).startsWith("installation-"));
  // The bench seals keys of channels by it.
  expect(kept).toEqual(["WEIR_SECRET"]);
  // Set and empty, so that a file .env does not set it again.
  expect(env).toMatchObject({ DATABASE_URL: "", LOG_STORE_URL: "", WEIR_JOURNAL_DIR: "", PATH: "/bin" });
});
