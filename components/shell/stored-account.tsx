"use client";

import { useEffect } from "react";
import { writeStored } from "@/components/ui/stored";
import type { Account } from "./account-menu";

/**
 * Keeps the stored "user" in sync with the session. It is only for display and for the user id header of /api calls; the
 * server makes all permission checks.
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
