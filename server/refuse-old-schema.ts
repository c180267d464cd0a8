import { connect } from "@/db/connect";
import { assertSchemaCurrent } from "@/db/schema-version";

/** Throws when the database lacks migrations of this version, before a request finds out. */
export async function refuseOldSchema(url: string): Promise<void> {
  const sql = connect(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await assertSchemaCurrent(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
