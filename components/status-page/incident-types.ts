import type * as actions from "./actions";

export type IncidentActions = Pick<typeof actions, "saveIncident" | "deleteIncident">;
