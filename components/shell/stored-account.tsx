"use client";

import { useEffect } from "react";
import type { Account } from "./account-menu";
import { writeStored } from "./stored";

/**
 * Keeps the key "user" of the browser's storage in step with who is signed in. It is for display and for the header of
 * calls to /api only: what somebody may do is decided on the server.
 */
export function StoredAccount({ account }: { account: Account | null }) {
  const stored = account && {
    id: account.id,
    username: account.username,
    display_name: account.displayName,
    role: account.role,
    status: account.status,
    group: account.group,
  };
  const text = stored && JSON.stringify(stored);
  useEffect(() => {
    writeStored("user", text);
  }, [text]);
  return null;
}
