import { startTestServer } from "./server";

/** Uses the server at WEIR_E2E_URL, or starts the built one on an empty data directory. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  if (process.env.WEIR_E2E_URL) return async () => {};
  const server = await startTestServer();
  process.env.WEIR_E2E_URL = server.url;
  process.env.WEIR_E2E_PASSWORD = server.password;
  process.env.WEIR_E2E_UPSTREAM = server.upstreamUrl;
  process.env.WEIR_E2E_DATA = server.directory;
  return server.stop;
}
