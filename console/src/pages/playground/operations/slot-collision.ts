import type { CollisionDetector } from '@dnd-kit/abstract'
import { CollisionPriority, CollisionType } from '@dnd-kit/abstract'
import { defaultCollisionDetection } from '@dnd-kit/collision'

/** A dragged card moves to the place that contains its center, or cards of different heights would swap repeatedly. */
export const slotCollision: CollisionDetector = (input) => {
  const { dragOperation, droppable } = input
  const dragged = dragOperation.shape?.current
  const { direction } = dragOperation.position
  if (dragged === undefined || droppable.shape === undefined || (direction !== 'up' && direction !== 'down')) {
    return defaultCollisionDetection(input)
  }
  const { top, bottom } = droppable.shape.boundingRectangle
  const { height } = dragged.boundingRectangle
  const middle = dragged.center.y
  const isOver =
    direction === 'up' ? middle >= top && middle <= top + height : middle <= bottom && middle >= bottom - height
  if (!isOver) return null
  const value = 1 / (1 + Math.abs(droppable.shape.center.y - middle))
  return { id: droppable.id, value, type: CollisionType.Collision, priority: CollisionPriority.Normal }
}
