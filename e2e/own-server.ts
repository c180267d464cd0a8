import { test as base } from "./fixtures";
import { startTestServer } from "./server";

/** A test whose files have a server of their own. Files that use what one call returns may share a server. */
export function withOwnServer() {
  return base.extend<object, { ownServer: string }>({
    ownServer: [
      // biome-ignore lint/correctness/noEmptyPattern: the runner reads the dependencies from the pattern
      async ({}, use) => {
        const server = await startTestServer();
        const { WEIR_E2E_URL, WEIR_E2E_PASSWORD, WEIR_E2E_UPSTREAM, WEIR_E2E_DATA } = process.env;
        Object.assign(process.env, {
          WEIR_E2E_URL: server.url,
          WEIR_E2E_PASSWORD: server.password,
          WEIR_E2E_UPSTREAM: server.upstreamUrl,
          WEIR_E2E_DATA: server.directory,
        });
        await use(server.url);
        await server.stop();
        Object.assign(process.env, { WEIR_E2E_URL, WEIR_E2E_PASSWORD, WEIR_E2E_UPSTREAM, WEIR_E2E_DATA });
      },
      { auto: true, scope: "worker", timeout: 120_000 },
    ],
  });
}

/**
 * For tests that change site-wide options: gives them their own server, so that other files are not affected. Several
 * files may get the same server one after the other, so each sets the options it needs and resets them.
 */
export const test = withOwnServer();
