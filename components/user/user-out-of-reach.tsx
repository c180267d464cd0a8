"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { drawerParams } from "@/components/data-table/list-params";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";

/** Shown instead of the drawer when a link names a user that does not exist or that the current user may not edit. */
export function UserOutOfReach() {
  const t = useTranslations("user");
  const common = useTranslations("common");
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const onClose = () => setDrawer({ edit: null, create: null });
  const footer = (
    <Button size="md" variant="primary" onClick={onClose}>
      {common("close")}
    </Button>
  );
  return (
    <Modal open onClose={onClose} title={t("outOfReachTitle")} description={t("outOfReachText")} footer={footer} />
  );
}
