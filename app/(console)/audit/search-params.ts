import { createLoader } from "nuqs/server";
import { auditFilterParams } from "@/components/audit/audit-search";

/** The URL contract of the audit log. */
export const loadAuditSearch = createLoader(auditFilterParams);
