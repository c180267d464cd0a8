import { connect } from "./connect";

/** Whether the server is reachable and busy with a statement of this backend. Asked on a connection of its own. */
export async function isAtWork(url: string, backendPid: number, withinMs: number): Promise<boolean> {
  const seconds = withinMs / 1_000;
  const sql = connect(url, { max: 1, connect_timeout: seconds, silence_timeout: seconds, onnotice: () => {} });
  try {
    const rows = await sql`select 1 from pg_stat_activity where pid = ${backendPid} and state = 'active'`;
    return rows.length > 0;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 0 });
  }
}
