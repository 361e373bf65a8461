from .hook import HiveViewsHook as HiveViewsHook
from .partition_sensor import ViewPartitionSensor as ViewPartitionSensor
from .partition_trigger import ViewPartitionTrigger as ViewPartitionTrigger
from .publish_operator import PublishOperator as PublishOperator
from .report_link import ReportLink as ReportLink
from .revalidate_operator import RevalidateOperator as RevalidateOperator
from .view_assets import view_asset as view_asset
