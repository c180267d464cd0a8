import { defineRoutes } from "@/lib/http/route";
import { administrationRoutes } from "./administration-routes";
import { exportRoutes } from "./export-routes";
import { registrationRoutes } from "./registration-routes";
import { securityRoutes } from "./security-routes";
import { affiliateRoutes, notificationRoutes, selfRoutes, settingRoutes } from "./self-routes";
import { sessionRoutes } from "./session-routes";
import { topUpRoutes } from "./topup-routes";

// One file per topic (`*-routes.ts`). The first route that matches the path answers.
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  ...sessionRoutes,
  ...securityRoutes,
  ...registrationRoutes,
  ...selfRoutes,
  ...settingRoutes,
  ...notificationRoutes,
  ...affiliateRoutes,
  ...topUpRoutes,
  ...exportRoutes,
  ...administrationRoutes,
]);
