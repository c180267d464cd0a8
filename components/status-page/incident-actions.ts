import type { ActionResult } from "@/lib/http/action";
import type { IncidentInput } from "@/lib/status-page/schemas";

export type IncidentActions = {
  saveIncident: (input: IncidentInput) => Promise<ActionResult<void>>;
  deleteIncident: (input: { id: number }) => Promise<ActionResult<void>>;
};
