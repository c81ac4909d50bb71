// Room for so many things at a time, of which no tenant takes more than its share: what one keeps waiting for an answer
// stops nobody else.

export interface Places {
  /**
   * Takes a place at once, or none: whoever waited for one would hold another resource meanwhile.
   * @returns how to leave it, which may be called once
   */
  enter(tenantId: string): (() => void) | undefined;
}

export function createPlaces(most: number, mostOfATenant: number): Places {
  const tenants = new Map<string, number>();
  let all = 0;

  function leave(tenantId: string): void {
    const left = tenants.get(tenantId)! - 1;
    if (left === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, left);
    all--;
  }

  return {
    enter(tenantId) {
      const taken = tenants.get(tenantId) ?? 0;
      if (all >= most || taken >= mostOfATenant) return undefined;
      tenants.set(tenantId, taken + 1);
      all++;
      return () => leave(tenantId);
    },
  };
}
