import { connect } from "@/db/connect";

export type Listener = { stop: () => Promise<void> };

/**
 * Listens to the PostgreSQL channel `weir` on a dedicated connection. `onConnect` runs on each connect and reconnect:
 * notifications sent while disconnected are lost, so the listener must clear its caches.
 */
export async function listenToChanges(
  url: string,
  onChange: (subject: string) => void,
  onConnect: () => void,
): Promise<Listener> {
  const sql = connect(url, {
    max: 1,
    connect_timeout: 5,
    // A short fixed delay, because revoked keys go unnoticed until the connection is back.
    backoff: () => 0.25,
    keep_alive: 5,
    onnotice: () => {},
    connection: { application_name: "weir-listen" },
  });
  await sql.listen("weir", onChange, onConnect);
  return { stop: () => sql.end({ timeout: 1 }) };
}
