"use client";

import { Menu as MenuIcon } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Drawer } from "@/components/overlay/drawer";
import { Button } from "@/components/ui/button";
import type { ShellMenu } from "./menu";
import { Navigation } from "./navigation";
import { type SiteLink, SiteLinks } from "./site-links";

type PhoneMenuProps = {
  /** Null for visitors, who see only the site links. */
  menu: ShellMenu | null;
  links: readonly SiteLink[];
  name: string;
};

/** The links of the top bar and the sidebar in one menu for small screens. */
export function PhoneMenu({ menu, links, name }: PhoneMenuProps) {
  const t = useTranslations("shell");
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button
        variant="ghost"
        size="iconMd"
        className="md:hidden"
        aria-label={t("openMenu")}
        onClick={() => setOpen(true)}
      >
        <MenuIcon />
      </Button>
      <Drawer open={open} onClose={close} title={name} side="left" className="max-w-72">
        <div className="-mx-4 -my-2 flex flex-col gap-1">
          <SiteLinks links={links} vertical onNavigate={close} />
          {menu ? <Navigation menu={menu} onNavigate={close} /> : null}
        </div>
      </Drawer>
    </>
  );
}
