import { removeLeftovers } from "../lib/testing/run-folder";
import { makeTemplate, startTestServer } from "./server";

/** Uses the server at WEIR_E2E_URL, or starts the built one with its own data directory. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  removeLeftovers();
  const template = await makeTemplate();
  process.env.WEIR_E2E_TEMPLATE = template.directory;
  if (process.env.WEIR_E2E_URL) return async () => template.remove();
  const server = await startTestServer();
  process.env.WEIR_E2E_URL = server.url;
  process.env.WEIR_E2E_PASSWORD = server.password;
  process.env.WEIR_E2E_UPSTREAM = server.upstreamUrl;
  process.env.WEIR_E2E_DATA = server.directory;
  return async () => {
    await server.stop();
    template.remove();
  };
}
