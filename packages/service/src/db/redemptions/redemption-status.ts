import { pgEnum } from 'drizzle-orm/pg-core';
import { redemptionStatuses } from '../../domain/redemption.js';

/** In a file of its own, because the tables that use it name each other. */
export const redemptionStatus = pgEnum('redemption_status', redemptionStatuses);
