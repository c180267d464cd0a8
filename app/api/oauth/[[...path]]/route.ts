import { defineRoutes } from "@/lib/http/route";
import { codeRoutes } from "./code-routes";
import { emailRoutes } from "./email-routes";
import { telegramRoutes } from "./telegram-routes";
import { unbindRoutes } from "./unbind-routes";
import { wechatRoutes } from "./wechat-routes";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  ...codeRoutes,
  ...wechatRoutes,
  ...telegramRoutes,
  ...emailRoutes,
  ...unbindRoutes,
]);
