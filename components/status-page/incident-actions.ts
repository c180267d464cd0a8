import type { ActionResult } from "@/lib/http/action";
import type { SaveIncidentInput } from "@/lib/status-page/schemas";

export type IncidentActions = {
  saveIncident: (input: SaveIncidentInput) => Promise<ActionResult<void>>;
  deleteIncident: (input: { id: number }) => Promise<ActionResult<void>>;
};
